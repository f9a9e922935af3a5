"""SyGra's names for classes of Regrade. Not SyGra."""
