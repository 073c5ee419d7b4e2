using TpcwMini.Grains;

namespace TpcwMini.Audit;

/// <summary>The final books of one item.</summary>
internal sealed record ItemLedger(string Item, ItemState State);
