namespace TpcwMini.Robots;

/// <summary>An order that the shop confirmed to a robot: from then on it must be found in the item.</summary>
internal readonly record struct ConfirmedOrder(string Order, string Item, int Quantity);
