package io.github.zklock.cli;

import java.io.IOException;
import java.io.Writer;

/**
 * Nobody reads it.
 */
final class BrokenPipe extends Writer {

	@Override
	public void write(char[] some, int offset, int length) throws IOException {
		throw new IOException("Broken pipe");
	}

	@Override
	public void flush() {
		// There is nothing
	}

	@Override
	public void close() {
		// It is
	}

}
