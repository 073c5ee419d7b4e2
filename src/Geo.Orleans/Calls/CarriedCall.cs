namespace Geo.Orleans;

/// <summary>Marks the one call that has just arrived from another cluster: it must end here rather than be carried on.</summary>
internal static class CarriedCall
{
    private static readonly AsyncLocal<GrainId?> Arriving = new();

    /// <summary>Marks the next call to a grain in this flow as arrived.</summary>
    public static Scope Arrive(GrainId grain)
    {
        Arriving.Value = grain;
        return default;
    }

    /// <summary>True for the call that has arrived, once: calls that it makes in turn are calls like any other.</summary>
    public static bool TakeArrival(GrainId grain)
    {
        if (Arriving.Value != grain)
        {
            return false;
        }

        Arriving.Value = null;
        return true;
    }

    public readonly struct Scope : IDisposable
    {
        public void Dispose() => Arriving.Value = null;
    }
}
