// The values that calls carry, side by side because together they are the wire contract of the two grains.
namespace TpcwMini.Grains;

/// <summary>How a workflow step ended.</summary>
public enum StepOutcome
{
    /// <summary>As asked.</summary>
    Done,

    /// <summary>An item has too little stock; the workflow is aborted and undone.</summary>
    SoldOut,

    /// <summary>An item is not on sale; the workflow is aborted.</summary>
    NoSuchItem,

    /// <summary>The cart knows no workflow at this step: it is volatile, and its cluster may have been lost.</summary>
    NoWorkflow,
}

/// <summary>An item and how many of it.</summary>
[GenerateSerializer]
public sealed record CartLine([property: Id(0)] string Item, [property: Id(1)] int Quantity);

/// <summary>The item's answer to a reservation.</summary>
[GenerateSerializer]
public sealed record ReserveReply([property: Id(0)] bool Reserved, [property: Id(1)] decimal Price);

/// <summary>The cart's answer to buy.</summary>
[GenerateSerializer]
public sealed record BuyReply([property: Id(0)] StepOutcome Outcome, [property: Id(1)] decimal Total);
