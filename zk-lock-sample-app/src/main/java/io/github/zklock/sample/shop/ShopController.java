package io.github.zklock.sample.shop;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * The counter of the shop.
 */
@RestController
class ShopController {

	private final TicketShop shop;

	ShopController(TicketShop shop) {
		this.shop = shop;
	}

	@PostMapping("/orders")
	@ResponseStatus(HttpStatus.CREATED)
	Receipt order(@Valid @RequestBody Order order) throws InterruptedException {
		return this.shop.order(order);
	}

	@GetMapping("/events/{id}/stock")
	Stock stock(@PathVariable @Pattern(regexp = EventId.PATTERN, message = EventId.MESSAGE) String id) {
		return this.shop.stock(id);
	}

	@PutMapping("/events/{id}/stock")
	Stock replaceStock(@PathVariable @Pattern(regexp = EventId.PATTERN, message = EventId.MESSAGE) String id,
			@Valid @RequestBody NewStock stock) {
		return this.shop.replaceStock(id, stock.capacity());
	}

	@PostMapping("/events/{id}/settlement")
	Settlement settle(@PathVariable @Pattern(regexp = EventId.PATTERN, message = EventId.MESSAGE) String id) {
		return this.shop.settle(id);
	}

	@PostMapping("/events/{id}/stock-taking")
	StockTaking takeStock(@PathVariable @Pattern(regexp = EventId.PATTERN, message = EventId.MESSAGE) String id)
			throws InterruptedException {
		return this.shop.takeStock(id);
	}

	@GetMapping("/events/{id}/report")
	SalesReport report(@PathVariable @Pattern(regexp = EventId.PATTERN, message = EventId.MESSAGE) String id)
			throws InterruptedException {
		return this.shop.report(id);
	}

	/**
	 * What is to be sold.
	 *
	 * @param capacity how many tickets
	 */
	record NewStock(@NotNull @Min(0) @Max(100_000) Integer capacity) {
	}

}
