"""What a command prints when it fails, and the files that it leaves."""

from emst.cli import main


def complaint(capsys, *arguments):
    """Run a command that must fail with status 2 and one line; return the line."""
    capsys.readouterr()
    assert main([*map(str, arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("emst: ") and err.count("\n") == 1 and err.endswith("\n")
    return err


def only(folder, *names):
    """The folder holds these files, and no incomplete ones."""
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)
