using TpcwMini.Grains;

namespace TpcwMini.Robots;

/// <summary>An order while its customer is busy with it.</summary>
/// <param name="Cart">Its cart.</param>
/// <param name="Close">To be called once, when the customer has done.</param>
internal sealed record OpenOrder(ICart Cart, Action Close);
