package io.github.zklock.sample.contest;

import java.time.Duration;
import java.util.Locale;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Where contests are asked for.
 */
@RestController
class ContestController {

	private final Contests contests;

	ContestController(Contests contests) {
		this.contests = contests;
	}

	@PostMapping("/contention")
	ContestReport contention(
			@RequestParam(defaultValue = "sequential") @Pattern(regexp = "naive|sequential",
					message = "must be naive or sequential") String strategy,
			@RequestParam(defaultValue = "exclusive") @Pattern(regexp = "exclusive|write|none",
					message = "must be exclusive, write or none") String mode,
			@RequestParam(defaultValue = "50") @Min(1) @Max(ContestSpec.MAX_CLIENTS) int clients,
			@RequestParam(defaultValue = "5") @Min(0) @Max(ContestSpec.MAX_THINK_MILLIS) int thinkMillis,
			@RequestParam(defaultValue = "30000") @Min(0) @Max(ContestSpec.MAX_TIMEOUT_MILLIS) int timeoutMillis)
			throws InterruptedException {
		return this.contests.run(new ContestSpec(strategy, ContestMode.valueOf(mode.toUpperCase(Locale.ROOT)), clients,
				Duration.ofMillis(thinkMillis), Duration.ofMillis(timeoutMillis)));
	}

}
