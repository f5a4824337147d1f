package io.github.zklock.sample.shop;

import jakarta.validation.Valid;
import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Where a late sale is asked for, to see what the fence does. It sells tickets twice on
 * demand, and is in the profile {@code lab} only.
 */
@RestController
@Profile("lab")
class LateOrderController {

	private final LateSeller seller;

	LateOrderController(LateSeller seller) {
		this.seller = seller;
	}

	@PostMapping("/late-orders")
	@ResponseStatus(HttpStatus.CREATED)
	Receipt order(@Valid @RequestBody Order order, @RequestParam(defaultValue = "true") boolean fenced)
			throws InterruptedException {
		return this.seller.order(order, fenced);
	}

}
