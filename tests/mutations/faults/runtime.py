"""Faults in what the CPU's stages share, and where their threads meet."""

from .fault import Fault

RACES = "tests/runtime/test_races.py::test_threads_that_meet_in_any_way_change_no_bit"
LATE = "tests/runtime/test_parallel.py::test_a_chunk_is_run_however_late_its_thread_begins_with_it"
MEMBERS = "tests/runtime/test_parallel.py::"

FAULTS = [
    Fault(
        "a sort by insertion moves a key before an equal one",
        "emst/cpu/runtime/sort.py",
        "keys[to - 1] > key",
        "keys[to - 1] >= key",
        ("tests/runtime/test_sort.py::test_few_keys_are_sorted_stably_with_their_values",),
    ),
    Fault(
        "the calling thread ends the others when it finds no chunk",
        "emst/cpu/runtime/parallel.py",
        "        finish(futures)  # a helper may",
        "        stop = True\n        finish(futures)  # a helper may",
        (LATE,),
    ),
    Fault(
        "an edge that another thread wrote first is not seen",
        "emst/cpu/lightest.py",
        "        while improved.any():\n",
        "        while improved.all():\n",
        (RACES,),
    ),
    Fault(
        "a node is claimed without compare-and-swap",
        "emst/cpu/hierarchy/nodes.py",
        "            elif compare_and_swap(claimed, at, np.int32(-1), below) != -1:\n",
        "            elif claimed[at] == -1:\n                claimed[at] = below\n            else:\n",
        (RACES,),
    ),
    Fault(
        "labels take one step to the root",
        "emst/cpu/merge.py",
        "labels[i] = root_above(parent, parent[labels[i]])",
        "labels[i] = parent[labels[i]]",
        ("tests/test_merge.py::test_labels_reach_the_root_of_a_path_that_another_thread_has_lengthened",),
    ),
    Fault(
        "roots of a cycle are not counted again",
        "emst/cpu/contract.py",
        "    for_chunks(list_roots, count, grain, parent, nodes, np.cumsum(found), found, roots, grain)\n"
        "    _refuse_cycles(found)\n",
        "    for_chunks(list_roots, count, grain, parent, nodes, np.cumsum(found), found, roots, grain)\n",
        ("tests/test_boruvka.py::test_edges_that_close_a_cycle_are_an_error[cpu-5-0]",),
    ),
    Fault(
        "paths are halved without atomic stores",
        "emst/cpu/contract.py",
        "            store(parent, p, further)",
        "            parent[p] = further",
        ("tests/runtime/test_atomics.py::test_shared_elements_are_accessed_atomically[contract]",),
    ),
    Fault(
        "a third pass of the sort writes into the caller's keys",
        "emst/cpu/runtime/sort.py",
        "other = (keys, order) if other else (np.empty_like(keys), np.empty_like(order))  #",
        "other = (keys, order)  #",
        ("tests/runtime/test_sort.py::test_sort_is_stable[cpu-65536-70001]",),
    ),
    Fault(
        "keys of one digit do not go after those of the part before",
        "emst/cpu/runtime/sort.py",
        "counts[share, digit] = first[digit] + counts[share - 1, digit]",
        "counts[share, digit] = first[digit] + counts[0, digit]",
        ("tests/runtime/test_sort.py::test_equal_keys_stay_in_the_order_of_the_parts[5]",),
    ),
    Fault(
        "a forked child uses its parent's threads",
        "emst/cpu/runtime/parallel.py",
        "if pool is None or pool[0] != os.getpid() or pool[1] < count:",
        "if pool is None or pool[1] < count:",
        ("tests/runtime/test_parallel.py::test_a_forked_child_works",),
    ),
    Fault(
        "errors of other threads are lost",
        "emst/cpu/runtime/parallel.py",
        "    for future in futures:\n        if not future.cancelled():\n            future.result()\n",
        "",
        (
            "tests/runtime/test_parallel.py::"
            "test_an_error_stops_all_chunks_and_leaves_the_pool_usable[helper-KeyboardInterrupt]",
        ),
    ),
    Fault(
        "limits of the groups above are not read",
        "emst/cpu/runtime/memory.py",
        "for folder in (group, *group.parents)",
        "for folder in (group,)",
        ("tests/runtime/test_memory.py::test_the_least_of_a_group_and_its_ancestors",),
    ),
    Fault(
        "a minimum is a load and a store",
        "emst/cpu/runtime/atomics.py",
        "        _minimum(array, at, value)",
        "        store(array, at, value)",
        ("tests/runtime/test_atomics.py::test_shared_elements_are_lowered_or_claimed_in_one_step[offers]",),
    ),
    Fault(
        "threads share their scratch",
        "emst/cpu/runtime/parallel.py",
        "    _thread.number = number\n",
        "    _thread.number = 0\n",
        ("tests/runtime/test_parallel.py::test_every_thread_has_its_own_scratch",),
    ),
    Fault(
        "a forked child gives work to the members of its parent",
        "emst/cpu/runtime/parallel.py",
        "if team is None or team.process != os.getpid():",
        "if team is None:",
        (MEMBERS + "test_a_forked_child_has_a_team_of_its_own",),
    ),
    Fault(
        "a call ends while a member runs a chunk",
        "emst/cpu/runtime/team.py",
        "    while _load(left) > 0:\n",
        "    while _load(left) > 1:\n",
        (MEMBERS + "test_a_call_waits_for_the_chunk_of_a_member",),
    ),
    Fault(
        "a caller that sleeps is not woken",
        "emst/cpu/runtime/team.py",
        "== SLEEPS + 1:",
        "== SLEEPS:",
        (MEMBERS + "test_a_call_waits_for_the_chunk_of_a_member",),
    ),
    Fault(
        "members go on after an error",
        "emst/cpu/runtime/team.py",
        "    _raise(job + 8 * COUNTER, STOPPED)\n",
        "",
        (MEMBERS + "test_an_error_ends_the_members[ValueError]",),
    ),
    Fault(
        "the error of a kernel is lost",
        "emst/cpu/runtime/parallel.py",
        "    if failed:\n",
        "    if failed < 0:\n",
        (MEMBERS + "test_a_kernel_that_fails_is_an_error_and_not_a_crash",),
    ),
    Fault(
        "a call waits for members that have not begun",
        "emst/cpu/runtime/team.py",
        "            if job <= area < end and _swap(member, area, IDLE):\n",
        "            if job <= area < job and _swap(member, area, IDLE):\n",
        (MEMBERS + "test_a_member_that_does_not_begin_is_not_waited_for",),
    ),
    Fault(
        "half a processor is none",
        "emst/cpu/runtime/processors.py",
        "-(-quota // period)",
        "(quota // period)",
        (MEMBERS + "test_limits_of_control_groups[files0-1]",),
    ),
    Fault(
        "a full disk ends a fit",
        "emst/cpu/runtime/numba_internals.py",
        "        except OSError as error:  # the disk is full, for one",
        "        except KeyError as error:",
        ("tests/runtime/test_kernel_cache.py::test_a_full_disk_costs_time_and_no_result",),
    ),
]
