namespace TpcwMini.Audit;

/// <summary>What the books say after the run.</summary>
internal sealed record AuditFindings
{
    /// <summary>Items that sold more than they ever had, or whose stock and sales do not add up.</summary>
    public int OversoldItems { get; init; }

    /// <summary>Orders confirmed to a robot that the item does not show, or shows with another quantity.</summary>
    public int LostOrders { get; init; }

    /// <summary>Orders that an item sold more than once.</summary>
    public int DuplicateOrders { get; init; }

    /// <summary>Orders confirmed to a robot, warm-up included.</summary>
    public int ConfirmedOrders { get; init; }

    /// <summary>Sales in the books, among them those whose answer was lost on the way to the robot.</summary>
    public int Sales { get; init; }

    /// <summary>Items with nothing left.</summary>
    public int SoldOutItems { get; init; }

    /// <summary>The first few violations, for people.</summary>
    public IReadOnlyList<string> Violations { get; init; } = [];

    /// <summary>True when the shop kept its promise.</summary>
    public bool IsClean => OversoldItems == 0 && LostOrders == 0 && DuplicateOrders == 0;
}
