namespace TpcwMini.Grains;

/// <summary>What a cart has reserved of an item.</summary>
[GenerateSerializer]
public sealed class Reservation
{
    /// <summary>The cart.</summary>
    [Id(0)]
    public string Cart { get; set; } = "";

    /// <summary>The order the cart was working on, so that a late message about an earlier one cannot take this reservation.</summary>
    [Id(1)]
    public string Order { get; set; } = "";

    /// <summary>How many.</summary>
    [Id(2)]
    public int Quantity { get; set; }
}
