namespace Geo.Experiments.Soak.Shop;

/// <summary>What a customer asks for.</summary>
/// <param name="Customer">Who asks.</param>
/// <param name="Number">The customer's orders of the article are numbered from 1; the next follows when this one is decided.</param>
/// <param name="Quantity">How many.</param>
/// <param name="IsSupply">True to bring them, false to take them.</param>
[GenerateSerializer]
public sealed record Order(
    [property: Id(0)] string Customer, [property: Id(1)] int Number, [property: Id(2)] int Quantity, [property: Id(3)] bool IsSupply);
