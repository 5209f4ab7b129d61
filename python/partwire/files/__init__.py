"""Files of documents: what is read, compressed or not, and how large a document may be."""
