"""Offers SyGra's names for classes of Regrade. This is not SyGra."""
