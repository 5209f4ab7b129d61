"""Operations that take each line by itself, and those that make data sets of documents."""
