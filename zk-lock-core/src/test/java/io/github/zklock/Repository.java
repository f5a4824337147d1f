package io.github.zklock;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The sources that this build is made from.
 */
final class Repository {

	private Repository() {
	}

	/**
	 * Finds the repository's root, upwards from the working directory.
	 * @return the folder that has {@code mvnw}
	 */
	static Path root() {
		for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
			if (Files.exists(folder.resolve("mvnw"))) {
				return folder;
			}
		}
		throw new IllegalStateException("No folder above " + Path.of("").toAbsolutePath() + " has mvnw");
	}

	/**
	 * Lists what is written by hand.
	 * @param root the repository's root
	 * @return all files outside of {@code target} and of hidden folders
	 * @throws IOException if a folder cannot be read
	 */
	static Stream<Path> files(Path root) throws IOException {
		List<Path> files = new ArrayList<>();
		Files.walkFileTree(root, new SimpleFileVisitor<>() {

			// What a build writes may go at any moment
			@Override
			public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
				return (folder.equals(root) || isWritten(folder)) ? FileVisitResult.CONTINUE
						: FileVisitResult.SKIP_SUBTREE;
			}

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
				if (attributes.isRegularFile() && isWritten(file)) {
					files.add(file);
				}
				return FileVisitResult.CONTINUE;
			}

		});
		return files.stream();
	}

	private static boolean isWritten(Path path) {
		String name = path.getFileName().toString();
		return !name.equals("target") && !name.startsWith(".");
	}

}
