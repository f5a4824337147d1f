package io.github.zklock.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Directories for a while.
 */
public final class Directories {

	private Directories() {
	}

	/**
	 * Creates a directory of its own.
	 * @param parent where
	 * @param prefix how its name begins
	 * @return the directory
	 */
	public static Path create(Path parent, String prefix) {
		try {
			return Files.createTempDirectory(Files.createDirectories(parent), prefix);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Deletes a directory and all that is in it.
	 * @param directory the directory
	 */
	public static void delete(Path directory) {
		try {
			Files.walkFileTree(directory, new SimpleFileVisitor<>() {

				@Override
				public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
					Files.deleteIfExists(file);
					return FileVisitResult.CONTINUE;
				}

				@Override
				public FileVisitResult postVisitDirectory(Path visited, IOException failure) throws IOException {
					if (failure != null) {
						throw failure;
					}
					Files.deleteIfExists(visited);
					return FileVisitResult.CONTINUE;
				}

			});
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
