"""The parts of the fence that `regrade.fence` puts around a program."""
