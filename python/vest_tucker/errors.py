"""Every error and warning of the package, to catch one or several of them by name."""

from vest_tucker.base.errors import *  # noqa: F403
from vest_tucker.base.errors import __all__ as __all__


def __dir__() -> list[str]:
    return list(__all__)
