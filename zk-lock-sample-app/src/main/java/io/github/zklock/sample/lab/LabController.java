package io.github.zklock.sample.lab;

import java.time.Duration;
import java.util.Locale;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

import io.github.zklock.sample.contest.ContestMode;
import io.github.zklock.sample.contest.ContestSpec;

/**
 * What the lab's page asks for.
 */
@RestController
@RequestMapping("/lab")
class LabController {

	private static final Duration PATIENCE = Duration.ofMillis(ContestSpec.MAX_TIMEOUT_MILLIS);

	private final Lab lab;

	private final Feed feed;

	LabController(Lab lab, Feed feed) {
		this.lab = lab;
		this.feed = feed;
	}

	@GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
	SseEmitter events() {
		return this.feed.subscribe();
	}

	// Of its own, or it would be a page whose end nobody notices
	@RequestMapping(path = "/events", method = RequestMethod.HEAD, produces = MediaType.TEXT_EVENT_STREAM_VALUE)
	ResponseEntity<Void> headOfEvents() {
		return ResponseEntity.ok().contentType(MediaType.TEXT_EVENT_STREAM).build();
	}

	@PostMapping("/contest")
	@ResponseStatus(HttpStatus.ACCEPTED)
	Started start(
			@RequestParam @Pattern(regexp = "naive|sequential",
					message = "must be naive or sequential") String strategy,
			@RequestParam @Pattern(regexp = "exclusive|write|none",
					message = "must be exclusive, write or none") String mode,
			@RequestParam @Min(1) @Max(ContestSpec.MAX_CLIENTS) int clients,
			@RequestParam @Min(0) @Max(ContestSpec.MAX_THINK_MILLIS) int sectionMillis) throws InterruptedException {
		return new Started(this.lab.start(new ContestSpec(strategy, ContestMode.valueOf(mode.toUpperCase(Locale.ROOT)),
				clients, Duration.ofMillis(sectionMillis), PATIENCE)));
	}

	@DeleteMapping("/contest")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void cancel() {
		this.lab.cancel();
	}

	/**
	 * A contest that was started.
	 *
	 * @param contest its id
	 */
	record Started(String contest) {
	}

}
