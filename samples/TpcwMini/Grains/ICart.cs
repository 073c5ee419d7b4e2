namespace TpcwMini.Grains;

/// <summary>The progress of one customer's order (GEO section 4.4.1); its key is the robot's name, one cart per robot.</summary>
public interface ICart : IGrainWithStringKey
{
    /// <summary>Step 1: starts a workflow with an empty cart; what an unfinished one had reserved is undone.</summary>
    Task<StepOutcome> Create(string order);

    /// <summary>Step 2: adds items and checks that they exist.</summary>
    Task<StepOutcome> Add(IReadOnlyList<CartLine> lines);

    /// <summary>Step 3: reserves every item and adds up the prices; undoes all if one is refused.</summary>
    Task<BuyReply> Buy();

    /// <summary>Step 4: finalises the purchase; <see cref="StepOutcome.Done"/> promises that every item is sold to this order.</summary>
    Task<StepOutcome> Confirm();
}
