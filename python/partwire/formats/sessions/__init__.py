"""Sessions of agents on disk: lines that grow while an agent works; read only."""
