namespace TpcwMini.Grains;

/// <summary>
/// The state of an item and the only place where anything is decided about it. Every rule looks at this state alone, so whoever
/// applies the same events in the same order - an instance, a leader, a replica - comes to the same decision.
/// </summary>
[GenerateSerializer]
public sealed class ItemState
{
    /// <summary>The quantity first put on sale; 0 until then.</summary>
    [Id(0)]
    public int InitialStock { get; set; }

    /// <summary>What is left; never negative.</summary>
    [Id(1)]
    public int Stock { get; set; }

    /// <summary>The price of one.</summary>
    [Id(2)]
    public decimal Price { get; set; }

    /// <summary>What carts have asked for and not yet confirmed; at most one for each cart. Reservations hold back no stock.</summary>
    [Id(3)]
    public List<Reservation> Reservations { get; set; } = [];

    /// <summary>What is sold.</summary>
    [Id(4)]
    public List<Sale> Sales { get; set; } = [];

    /// <summary>True when the item is on sale.</summary>
    public bool IsOnSale() => InitialStock > 0;

    /// <summary>True when this order's reservation stands.</summary>
    public bool HasReserved(string cart, string order) => FindReservation(cart) is var i && i >= 0 && Reservations[i].Order == order;

    /// <summary>True when this order has been sold its quantity.</summary>
    public bool HasSold(string order) => FindSale(order) >= 0;

    /// <summary>Applies one event; an event that asks for what cannot be changes nothing.</summary>
    public void Apply(ItemEvent happened)
    {
        ArgumentNullException.ThrowIfNull(happened);
        switch (happened)
        {
            case Stocked stocked when !IsOnSale():
                (InitialStock, Stock, Price) = (stocked.Quantity, stocked.Quantity, stocked.Price);
                break;
            case Reserved reserved:
                Reserve(reserved);
                break;
            case Confirmed confirmed:
                Sell(confirmed);
                break;
            case Undone undone:
                Undo(undone);
                break;
        }
    }

    private void Reserve(Reserved asked)
    {
        if (asked.Quantity <= 0 || asked.Quantity > Stock || HasSold(asked.Order))
        {
            return;
        }

        // A cart works on one order at a time: what it reserved for an earlier one is left over from a workflow cut short.
        RemoveReservation(asked.Cart);
        Reservations.Add(new Reservation { Cart = asked.Cart, Order = asked.Order, Quantity = asked.Quantity });
    }

    private void Sell(Confirmed asked)
    {
        if (!HasReserved(asked.Cart, asked.Order))
        {
            return;
        }

        var reservation = Reservations[FindReservation(asked.Cart)];
        if (reservation.Quantity > Stock)
        {
            return;
        }

        RemoveReservation(asked.Cart);
        Stock -= reservation.Quantity;
        Sales.Add(new Sale { Order = asked.Order, Quantity = reservation.Quantity });
    }

    private void Undo(Undone asked)
    {
        if (HasReserved(asked.Cart, asked.Order))
        {
            RemoveReservation(asked.Cart);
        }

        var sale = FindSale(asked.Order);
        if (sale >= 0)
        {
            Stock += Sales[sale].Quantity;
            Sales.RemoveAt(sale);
        }
    }

    private void RemoveReservation(string cart)
    {
        var index = FindReservation(cart);
        if (index >= 0)
        {
            Reservations.RemoveAt(index);
        }
    }

    private int FindReservation(string cart) => Reservations.FindIndex(reservation => reservation.Cart == cart);

    private int FindSale(string order) => Sales.FindIndex(sale => sale.Order == order);
}
