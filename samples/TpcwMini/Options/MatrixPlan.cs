namespace TpcwMini.Options;

/// <summary>How <c>--matrix</c> looks for the peak of each row.</summary>
/// <param name="Accounts">The operations a second that the storage account serves, of each setting.</param>
/// <param name="Levels">How many loads are tried of a row, each <see cref="Step"/> times the one before.</param>
/// <param name="Repeats">How many runs the load at the peak has in the end.</param>
/// <param name="Minutes">After so many no further run is begun; the next part goes on from the file.</param>
/// <param name="File">Where each run is kept, a line of JSON each.</param>
internal sealed record MatrixPlan(IReadOnlyList<int> Accounts, int Levels, int Repeats, int Minutes, string File)
{
    /// <summary>From one load to the next.</summary>
    public const double Step = 1.5;

    /// <summary>A load whose steps are less than this part of the best ones shows that they fall.</summary>
    public const double Fallen = 0.95;

    /// <summary>The least load that is tried.</summary>
    public const int LeastRobots = 200;

    /// <summary>The rows in the order in which they are run: those that no account binds once only.</summary>
    public IReadOnlyList<RunOptions> RowsOf(RunOptions load) =>
    [
        .. from account in Accounts
           from variant in Variant.Sensible
           where variant.State == ItemDurability.Persistent || account == Accounts[0]
           select load with { Variant = variant, StoreOps = account },
    ];
}
