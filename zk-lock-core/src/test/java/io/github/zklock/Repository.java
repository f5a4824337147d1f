package io.github.zklock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

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
		try (Stream<Path> all = Files.walk(root)) {
			return all.filter(Files::isRegularFile)
				.filter((file) -> isWritten(root.relativize(file)))
				.toList()
				.stream();
		}
	}

	private static boolean isWritten(Path file) {
		return StreamSupport.stream(file.spliterator(), false)
			.map(Path::toString)
			.noneMatch((name) -> name.equals("target") || name.startsWith("."));
	}

}
