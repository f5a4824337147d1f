package io.github.zklock.sample.lab;

import jakarta.validation.constraints.Pattern;
import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * The dangerous buttons of the lab's page.
 */
@RestController
@RequestMapping("/lab/tools")
@Profile("lab")
class ToolsController {

	private final Tools tools;

	ToolsController(Tools tools) {
		this.tools = tools;
	}

	@PostMapping("/expire-session")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void expireSession() {
		this.tools.expireSession();
	}

	@PutMapping("/hand")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void take(@RequestParam(defaultValue = "sequential") @Pattern(regexp = "naive|sequential",
			message = "must be naive or sequential") String strategy) {
		this.tools.take(strategy);
	}

	@DeleteMapping("/hand")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void giveBack() {
		this.tools.giveBack();
	}

	@PutMapping("/frozen-holder")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void freeze(@RequestParam(defaultValue = "sequential") @Pattern(regexp = "naive|sequential",
			message = "must be naive or sequential") String strategy) {
		this.tools.freeze(strategy);
	}

	@DeleteMapping("/frozen-holder")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void letGo() {
		this.tools.letGo();
	}

}
