using TpcwMini.Grains;

namespace TpcwMini.Tests.Grains;

public sealed class ItemStateTests
{
    private static readonly ItemEvent[] Events =
    [
        new Stocked(2, 5),
        new Reserved("a", "a/1", 1),
        new Reserved("a", "a/2", 2),
        new Reserved("b", "b/1", 2),
        new Confirmed("a", "a/1"),
        new Confirmed("a", "a/2"),
        new Confirmed("b", "b/1"),
        new Undone("a", "a/1"),
        new Undone("b", "b/1"),
    ];

    [Fact]
    public void No_sequence_of_events_oversells_and_the_books_always_add_up()
    {
        var sequences = 0;
        var soldOut = 0;
        Explore(new ItemState(), 6);
        Assert.True(soldOut > 0, "the exploration must reach an empty stock to mean anything");
        TestContext.Current.TestOutputHelper?.WriteLine($"{sequences} sequences, {soldOut} of them with an empty stock");

        void Explore(ItemState state, int depth)
        {
            sequences++;
            var sold = state.Sales.Sum(sale => sale.Quantity);
            Assert.True(state.Stock >= 0);
            Assert.Equal(state.InitialStock, state.Stock + sold);
            Assert.Equal(state.Sales.Count, state.Sales.Select(sale => sale.Order).Distinct().Count());
            Assert.Equal(state.Reservations.Count, state.Reservations.Select(reservation => reservation.Cart).Distinct().Count());
            soldOut += state is { InitialStock: > 0, Stock: 0 } ? 1 : 0;
            if (depth == 0)
            {
                return;
            }

            foreach (var next in Events)
            {
                var copy = Copy(state);
                copy.Apply(next);
                Explore(copy, depth - 1);
            }
        }
    }

    [Fact]
    public void Two_carts_may_reserve_the_last_one_and_only_the_first_to_confirm_gets_it()
    {
        var state = Stocked(1);
        state.Apply(new Reserved("a", "a/1", 1));
        state.Apply(new Reserved("b", "b/1", 1));
        Assert.True(state.HasReserved("a", "a/1"));
        Assert.True(state.HasReserved("b", "b/1"));

        state.Apply(new Confirmed("b", "b/1"));
        state.Apply(new Confirmed("a", "a/1"));

        Assert.True(state.HasSold("b/1"));
        Assert.False(state.HasSold("a/1"));
        Assert.Equal(0, state.Stock);
    }

    [Fact]
    public void Confirming_twice_sells_once()
    {
        var state = Stocked(5);
        state.Apply(new Reserved("a", "a/1", 2));
        state.Apply(new Confirmed("a", "a/1"));
        state.Apply(new Confirmed("a", "a/1"));

        Assert.True(state.HasSold("a/1"));
        Assert.Equal(3, state.Stock);
    }

    [Fact]
    public void Confirming_without_a_reservation_sells_nothing()
    {
        var state = Stocked(5);
        state.Apply(new Confirmed("a", "a/1"));

        Assert.False(state.HasSold("a/1"));
        Assert.Equal(5, state.Stock);
    }

    [Fact]
    public void A_late_confirm_of_an_undone_order_does_not_take_the_reservation_of_the_next_one()
    {
        var state = Stocked(5);
        state.Apply(new Reserved("a", "a/1", 1));
        state.Apply(new Undone("a", "a/1"));
        state.Apply(new Reserved("a", "a/2", 1));
        state.Apply(new Confirmed("a", "a/1"));

        Assert.False(state.HasSold("a/1"));
        Assert.True(state.HasReserved("a", "a/2"));
    }

    [Fact]
    public void Undo_takes_back_a_reservation_and_a_sale()
    {
        var state = Stocked(5);
        state.Apply(new Reserved("a", "a/1", 2));
        state.Apply(new Undone("a", "a/1"));
        Assert.Empty(state.Reservations);

        state.Apply(new Reserved("a", "a/2", 2));
        state.Apply(new Confirmed("a", "a/2"));
        state.Apply(new Undone("a", "a/2"));

        Assert.Empty(state.Sales);
        Assert.Equal(5, state.Stock);
    }

    [Fact]
    public void A_reservation_replaces_what_the_cart_left_over_from_an_earlier_order()
    {
        var state = Stocked(5);
        state.Apply(new Reserved("a", "a/1", 1));
        state.Apply(new Reserved("a", "a/2", 3));

        var reservation = Assert.Single(state.Reservations);
        Assert.Equal(("a/2", 3), (reservation.Order, reservation.Quantity));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(6)]
    public void A_quantity_that_cannot_be_sold_is_not_reserved(int quantity)
    {
        var state = Stocked(5);
        state.Apply(new Reserved("a", "a/1", quantity));

        Assert.Empty(state.Reservations);
    }

    [Fact]
    public void Stocking_twice_keeps_what_was_there()
    {
        var state = Stocked(5);
        state.Apply(new Stocked(100, 1));

        Assert.Equal((5, 5, 7m), (state.InitialStock, state.Stock, state.Price));
    }

    private static ItemState Stocked(int quantity)
    {
        var state = new ItemState();
        state.Apply(new Stocked(quantity, 7));
        return state;
    }

    private static ItemState Copy(ItemState state) => new()
    {
        InitialStock = state.InitialStock,
        Stock = state.Stock,
        Price = state.Price,
        Reservations = [.. state.Reservations],
        Sales = [.. state.Sales],
    };
}
