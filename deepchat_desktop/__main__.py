"""The entry points: the window, the command line, helper processes, the self-test."""

import gc
import os
import sys

from deepchat_desktop import __version__


def main(arguments: list[str] | None = None) -> int:
    """Run the program and return its exit code."""
    argv = sys.argv[1:] if arguments is None else arguments
    match argv:
        case ["--version"]:
            sys.stdout.write(f"deepchat {__version__}\n")
            return 0
        case ["--worker", name]:
            from deepchat_desktop.workers import main as run_worker

            return run_worker(name)
        case ["--self-test", *rest]:
            from deepchat_desktop.self_test import main as self_test

            return self_test(rest)
    # pydantic would look through every installed distribution for plugins; it has none here, and the look takes 20 ms.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if _opens_window(argv):
        return _window(argv)
    from deepchat_desktop.cli import run

    return run(argv)


def _window(argv: list[str]) -> int:
    """Open the window, or say in words why there can be none."""
    from deepchat_desktop import boot
    from deepchat_desktop.domain.errors import ConfigError

    gc.disable()  # nothing made while starting is garbage; `Pauses` turns it on after the first paint
    try:
        boot.refuse_no_display()
        from deepchat_desktop.app import run_window
    except ConfigError as error:
        sys.stderr.write(error.user_message + "\n")
        return 1
    except ImportError as error:
        if not (error.name or "").startswith("PySide6") and ".so" not in str(error):
            raise
        sys.stderr.write(
            f"The window cannot be opened: Qt does not load ({error}). `deepchat doctor` names what is missing; "
            "the terminal works without it: deepchat ask \"…\"\n"
        )
        return 1
    return run_window(argv)


def main_window() -> int:
    """Run the program from its desktop entry."""
    return main()


def _opens_window(argv: list[str]) -> bool:
    """Whether the arguments name no command: nothing, a data folder, or one link."""
    rest = list(argv)
    if rest[:1] == ["--data-dir"] and len(rest) >= 2:
        rest = rest[2:]
    elif rest and rest[0].startswith("--data-dir="):
        rest = rest[1:]
    return not rest or (len(rest) == 1 and rest[0].startswith("deepchat://"))


if __name__ == "__main__":
    sys.exit(main())
