package io.github.zklock;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Where a contender comes from, as its node says. What another client wrote there is
 * taken as it is, except that control characters are replaced and long texts are cut.
 *
 * @param id the contender's own id
 * @param application the application
 * @param instance the instance of the application
 * @param host the host
 * @param pid the process
 * @param thread the thread that asked first
 * @param since when it entered, by the clock of its host, as text of ISO 8601
 * @since 0.1.0
 */
public record ContenderOrigin(String id, @Nullable String application, @Nullable String instance, @Nullable String host,
		@Nullable String pid, @Nullable String thread, @Nullable String since) {

	private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":\"((?:[^\"\\\\]++|\\\\.)*+)\"");

	private static final Pattern ESCAPE = Pattern.compile("\\\\(u[0-9a-fA-F]{4}|.)");

	private static final int MAX_DESCRIPTION = 8192;

	private static final int MAX_FIELD = 1024;

	/**
	 * Reads what a node says.
	 * @param description the node's data as text
	 * @return where its contender comes from, or null if no lock client of this kind made
	 * it
	 */
	public static @Nullable ContenderOrigin parse(@Nullable String description) {
		if (description == null || description.length() > MAX_DESCRIPTION) {
			return null;
		}
		Map<String, String> fields = new HashMap<>();
		Matcher matcher = FIELD.matcher(description);
		while (matcher.find()) {
			fields.put(matcher.group(1), plain(matcher.group(2)));
		}
		String id = fields.get("id");
		if (id == null) {
			return null;
		}
		return new ContenderOrigin(id, fields.get("application"), fields.get("instance"), fields.get("host"),
				fields.get("pid"), fields.get("thread"), fields.get("since"));
	}

	private static String plain(String quoted) {
		String text = ESCAPE.matcher(quoted).replaceAll(ContenderOrigin::unescape);
		String cut = (text.length() <= MAX_FIELD) ? text : text.substring(0, MAX_FIELD) + "...";
		return cut.replaceAll("\\p{Cntrl}", "?");
	}

	private static String unescape(MatchResult escape) {
		String text = escape.group(1);
		String plain = (text.length() == 5) ? Character.toString(Integer.parseInt(text.substring(1), 16)) : text;
		return Matcher.quoteReplacement(plain);
	}

	/**
	 * Says in a few words who it is.
	 * @return for example {@code billing-2 (host b2, pid 311, thread main)}
	 */
	public String who() {
		return "%s (host %s, pid %s, thread %s)".formatted(this.instance, this.host, this.pid, this.thread);
	}

}
