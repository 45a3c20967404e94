# The names of `import tf1mem`, for editors and type checkers; __init__.py loads them when they are first used.
from tf1mem.applying.apply import apply as apply
from tf1mem.applying.apply import report as report
from tf1mem.applying.report import Report as Report
from tf1mem.errors import RuntimeAlreadyStarted as RuntimeAlreadyStarted
from tf1mem.errors import Tf1memError as Tf1memError
from tf1mem.estimating import estimate as estimate
from tf1mem.estimating import estimate_batches as estimate_batches
from tf1mem.oom import explain_oom as explain_oom
from tf1mem.oom import fit_batch as fit_batch
from tf1mem.planning.plan import Plan as Plan
from tf1mem.planning.plan import plan as plan
from tf1mem.settings.builder import config as config
from tf1mem.settings.environment import from_env as from_env
from tf1mem.settings.settings import Settings as Settings
from tf1mem.settings.settings import read as read

__version__: str

def load_ipython_extension(shell: object) -> None: ...
