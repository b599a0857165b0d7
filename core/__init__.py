"""The engine: reads what adapters report, keeps the index, answers searches. It never imports the interface."""
