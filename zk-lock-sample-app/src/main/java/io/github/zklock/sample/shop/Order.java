package io.github.zklock.sample.shop;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;

/**
 * What a buyer wants.
 *
 * @param eventId for which event
 * @param buyer who buys
 * @param quantity how many tickets
 */
public record Order(@NotNull @Pattern(regexp = EventId.PATTERN, message = EventId.MESSAGE) String eventId,
		@NotBlank @Size(max = 64) @Pattern(regexp = Order.VISIBLE,
				message = "must not have control or other invisible characters") String buyer,
		@NotNull @Min(1) @Max(10) Integer quantity) {

	static final String VISIBLE = "\\P{C}*";

}
