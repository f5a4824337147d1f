import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Checks what the test reports say, and prints how many tests ran where. The first argument is a folder with one folder
 * of reports for each step of {@code .ci/run}, or a module's for {@code ran}; the second one is the command:
 * <ul>
 * <li>{@code quick STEP SECONDS}: names the classes of that step that took longer, which belong to the tag "slow";
 * fails if one took three times as long.
 * <li>{@code late STEP SECONDS}: prints the names of those that took three times as long.
 * <li>{@code complete [PATTERN]}: fails if no step ran a test of a class of the sources whose name does not match the
 * pattern, or a test has failed; those come last.
 * <li>{@code ran CLASS...}: fails if no report says that a test of each of these classes, by their simple names, ran.
 * </ul>
 */
public final class Reports {

	private static final Pattern TEST_CLASS = Pattern.compile("\\w+(Tests|IT)\\.(java|kt)");

	private static final int LONGEST_MESSAGE = 200;

	private static final Pattern ABSTRACT = Pattern.compile("(?m)^(public )?(abstract class|interface) ");

	private Reports() {
	}

	public static void main(String... arguments) throws Exception {
		List<Report> reports = readAll(Path.of(arguments[0]));
		boolean fine = switch (arguments[1]) {
			case "quick" -> isQuick(reports, arguments[2], Double.parseDouble(arguments[3]));
			case "late" -> isPrinted(late(reports, arguments[2], Double.parseDouble(arguments[3])));
			case "complete" -> isComplete(reports, (arguments.length > 2) ? arguments[2] : "");
			case "ran" -> haveRun(reports, List.of(arguments).subList(2, arguments.length));
			default -> throw new IllegalArgumentException(arguments[1]);
		};
		System.exit(fine ? 0 : 1);
	}

	private static boolean isQuick(List<Report> reports, String step, double seconds) {
		List<Report> slow = reports.stream()
			.filter((report) -> report.step().equals(step) && report.seconds() > seconds)
			.sorted(Comparator.comparingDouble(Report::seconds).reversed())
			.toList();
		slow.forEach((report) -> System.out.printf(Locale.ROOT,
				"%s took %.1f s in the step '%s', where %.0f s are allowed: make it shorter, or tag it \"slow\"%n",
				report.type(), report.seconds(), step, seconds));
		return late(reports, step, seconds).isEmpty() && count(reports, (report) -> report.step().equals(step)) > 0;
	}

	private static List<String> late(List<Report> reports, String step, double seconds) {
		return reports.stream()
			.filter((report) -> report.step().equals(step) && report.seconds() > 3 * seconds)
			.map(Report::type)
			.toList();
	}

	private static boolean isPrinted(List<String> types) {
		types.forEach(System.out::println);
		return true;
	}

	private static boolean isComplete(List<Report> reports, String skipped) throws IOException {
		System.out.printf("%n%-18s %-42s %8s %8s %8s %10s%n", "step", "module", "classes", "tests", "skipped",
				"seconds");
		reports.stream().map((report) -> report.step() + " " + report.module()).distinct().sorted().forEach((place) -> {
			String[] names = place.split(" ");
			Predicate<Report> here = (report) -> report.step().equals(names[0]) && report.module().equals(names[1]);
			System.out.printf(Locale.ROOT, "%-18s %-42s %8d %8d %8d %10.0f%n", names[0], names[1],
					reports.stream().filter(here).count(), count(reports, here),
					reports.stream().filter(here).mapToInt(Report::skipped).sum(),
					reports.stream().filter(here).mapToDouble(Report::seconds).sum());
		});
		System.out.printf("%-61s %8d %8d%n%n", "together", reports.size(), count(reports, (report) -> true));
		reports.stream()
			.filter((report) -> report.skipped() > 0)
			.forEach((report) -> System.out.printf("Skipped in '%s': %d of %d tests of %s: %s%n", report.step(),
					report.skipped(), report.tests(), report.type(), report.reasons()));
		List<String> missing = testClasses().stream()
			.filter((type) -> reports.stream()
				.noneMatch((report) -> report.type().equals(type) && report.tests() > report.skipped()))
			.filter((type) -> !type.matches(skipped))
			.toList();
		missing.forEach((type) -> System.out.println("No step ran " + type));
		List<String> failed = reports.stream().flatMap((report) -> report.failed().stream()).toList();
		failed.forEach(System.out::println);
		return missing.isEmpty() && failed.isEmpty();
	}

	private static boolean haveRun(List<Report> reports, List<String> classes) {
		List<String> missing = classes.stream()
			.filter((name) -> reports.stream()
				.noneMatch((report) -> report.type().endsWith("." + name) && report.tests() > report.skipped()))
			.toList();
		missing.forEach((name) -> System.out.println("No test ran of " + name));
		return !classes.isEmpty() && missing.isEmpty();
	}

	private static int count(List<Report> reports, Predicate<Report> which) {
		return reports.stream().filter(which).mapToInt(Report::tests).sum();
	}

	private static List<String> testClasses() throws IOException {
		try (Stream<Path> files = Files.walk(Path.of(""))) {
			List<String> types = new ArrayList<>();
			for (Path file : (Iterable<Path>) files.filter(Reports::isTestClass)::iterator) {
				if (!ABSTRACT.matcher(Files.readString(file)).find()) {
					types.add(typeOf(file));
				}
			}
			types.sort(Comparator.naturalOrder());
			return types;
		}
	}

	private static boolean isTestClass(Path file) {
		String path = file.toString();
		return path.contains("src/test/") && !path.contains("target/")
				&& TEST_CLASS.matcher(file.getFileName().toString()).matches();
	}

	private static String typeOf(Path file) {
		return file.toString().replaceFirst(".*src/test/\\w+/", "").replaceFirst("\\.\\w+$", "").replace('/', '.');
	}

	private static List<Report> readAll(Path folder) throws Exception {
		List<Path> files;
		try (Stream<Path> all = Files.walk(folder)) {
			files = all.filter((file) -> file.getFileName().toString().matches("TEST-.*\\.xml")).sorted().toList();
		}
		List<Report> reports = new ArrayList<>();
		for (Path file : files) {
			Path place = folder.relativize(file);
			reports.add(read(file, place.getName(0).toString(),
					place.subpath(1, place.getNameCount() - 1).toString()));
		}
		return reports;
	}

	private static Report read(Path file, String step, String module) throws Exception {
		Element suite = DocumentBuilderFactory.newInstance()
			.newDocumentBuilder()
			.parse(file.toFile())
			.getDocumentElement();
		TreeSet<String> reasons = new TreeSet<>();
		NodeList skipped = suite.getElementsByTagName("skipped");
		for (int i = 0; i < skipped.getLength(); i++) {
			Element why = (Element) skipped.item(i);
			// What aborted it stands in the text, with a trace behind its first line
			reasons.add(why.hasAttribute("message") ? why.getAttribute("message")
					: why.getTextContent().lines().findFirst().orElse("no reason given"));
		}
		List<String> failed = new ArrayList<>();
		for (String kind : List.of("failure", "error")) {
			NodeList all = suite.getElementsByTagName(kind);
			for (int i = 0; i < all.getLength(); i++) {
				failed.add("Failed in '" + step + "': " + described((Element) all.item(i)));
			}
		}
		return new Report(step, module, suite.getAttribute("name"), Integer.parseInt(suite.getAttribute("tests")),
				Integer.parseInt(suite.getAttribute("skipped")), Double.parseDouble(suite.getAttribute("time")),
				String.join("; ", reasons), failed);
	}

	private static String described(Element failure) {
		Element test = (Element) failure.getParentNode();
		String message = failure.getAttribute("message").strip().replaceAll("\\s+", " ");
		return "%s.%s: %s".formatted(test.getAttribute("classname"), test.getAttribute("name"),
				message.substring(0, Math.min(message.length(), LONGEST_MESSAGE)));
	}

	private record Report(String step, String module, String type, int tests, int skipped, double seconds,
			String reasons, List<String> failed) {
	}

}
