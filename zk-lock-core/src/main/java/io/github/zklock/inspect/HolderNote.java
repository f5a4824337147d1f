package io.github.zklock.inspect;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What a holder with an {@link io.github.zklock.LockHandle#onContended onContended}
 * action keeps beside its key, so that it can be asked to let go
 * ({@link LockInspector#ask}).
 *
 * @param ask the id of what it was asked last; null if nobody has asked
 * @param reason what it was asked for, in the words of who asked; null if nobody has
 * @param noticed whether the holder has read that, so that its action is run, or has let
 * go already
 * @param instance the instance of the application
 * @param host its host
 * @param pid its process
 * @since 0.1.0
 */
public record HolderNote(@Nullable String ask, @Nullable String reason, boolean noticed, @Nullable String instance,
		@Nullable String host, @Nullable String pid) {

	/**
	 * Reads what a node says. Before the holder has noticed an ask the node also says who
	 * asks: {@link ContenderOrigin#parse}.
	 * @param content the node's data as text
	 * @return the note, or null if no lock client of this kind made it
	 */
	public static @Nullable HolderNote parse(@Nullable String content) {
		ContenderOrigin from = ContenderOrigin.parse(content);
		if (from == null || content == null) {
			return null;
		}
		Map<String, String> fields = FlatJson.read(content);
		return new HolderNote(fields.get("ask"), ContenderOrigin.clean(fields.get("reason")),
				"true".equals(fields.get("noticed")), of("holderInstance", from.instance(), fields),
				of("holderHost", from.host(), fields), of("holderPid", from.pid(), fields));
	}

	// Who asks says in a field of its own whom; a holder's own note has none
	private static @Nullable String of(String field, @Nullable String own, Map<String, String> fields) {
		return fields.containsKey(field) ? ContenderOrigin.clean(fields.get(field)) : own;
	}

}
