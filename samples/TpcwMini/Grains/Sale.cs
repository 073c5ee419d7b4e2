namespace TpcwMini.Grains;

/// <summary>What an order was sold of an item.</summary>
[GenerateSerializer]
public sealed class Sale
{
    /// <summary>The order; sold at most once.</summary>
    [Id(0)]
    public string Order { get; set; } = "";

    /// <summary>How many.</summary>
    [Id(1)]
    public int Quantity { get; set; }
}
