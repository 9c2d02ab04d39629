"""Interrupts that wait for the end of a block."""

import signal
import threading

import pytest

from emst.backend.interrupts import after_this, serve_waiting


@pytest.fixture(autouse=True)
def python_s_handler():
    """Python's own, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def interrupt():
    signal.raise_signal(signal.SIGINT)


def test_an_interrupt_is_served_at_the_end():
    done = []
    with pytest.raises(KeyboardInterrupt), after_this():
        interrupt()
        done.append("all")
    assert done == ["all"]


def test_a_second_one_is_served_at_once():
    with pytest.raises(KeyboardInterrupt), after_this():
        interrupt()
        interrupt()
        pytest.fail("the block goes on")


def test_an_error_passes():
    with pytest.raises(ValueError, match="wrong"), after_this():
        raise ValueError("wrong")


def test_blocks_within_one_another():
    """The handler is called once, at the end of the outer block."""
    done = []
    with pytest.raises(KeyboardInterrupt), after_this():
        with after_this():
            interrupt()
        done.append("all")
    assert done == ["all"]


def test_a_second_one_in_an_inner_block_is_served_at_once():
    with pytest.raises(KeyboardInterrupt), after_this(), after_this():
        interrupt()
        interrupt()
        pytest.fail("the block goes on")


def test_a_block_can_serve_what_waits():
    serve_waiting()  # nothing does
    with pytest.raises(KeyboardInterrupt), after_this():
        serve_waiting()
        with after_this():
            interrupt()
        serve_waiting()
        pytest.fail("the block goes on")
    with after_this():
        serve_waiting()  # it was served


def test_what_another_handler_raises_is_kept():
    def handler(number, frame):
        raise TimeoutError("over")

    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(TimeoutError, match="over"), after_this():
            interrupt()
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_handlers_that_raise_nothing_and_those_of_the_block():
    got = []
    before = signal.signal(signal.SIGINT, lambda number, frame: got.append(number))
    try:
        with after_this():
            interrupt()
        assert got == [signal.SIGINT]
        with after_this():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        with after_this():
            interrupt()
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_change_no_handler():
    seen = []

    def work():
        with after_this():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
