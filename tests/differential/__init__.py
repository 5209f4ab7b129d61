"""Every implementation of the contract on the same generated input: ``make differential``."""
