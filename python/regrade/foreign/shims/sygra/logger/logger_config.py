"""The log, which is kept with the sample."""

import logging

logger = logging.getLogger("sygra")
