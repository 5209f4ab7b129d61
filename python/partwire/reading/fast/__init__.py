"""Quick answers about whole documents; whoever gets none asks the pipeline."""
