using System.Diagnostics.CodeAnalysis;

namespace Geo.Orleans;

/// <summary>
/// Marks the one call that has just arrived from another cluster: it must end here rather than be carried on. A reference takes its call
/// before anything is awaited, so the mark is the thread's.
/// </summary>
internal static class CarriedCall
{
    [ThreadStatic]
    [SuppressMessage("Minor Code Smell", "S2696", Justification = "One arrival a thread.")]
    private static bool _isArriving;

    [ThreadStatic]
    private static GrainId _arriving;

    /// <summary>Marks the next call to a grain on this thread as arrived, until the scope ends: no later than at the first await.</summary>
    public static Scope Arrive(GrainId grain)
    {
        (_isArriving, _arriving) = (true, grain);
        return default;
    }

    /// <summary>True for the call that has arrived, once: calls that it makes in turn are calls like any other.</summary>
    public static bool TakeArrival(GrainId grain)
    {
        if (!_isArriving || _arriving != grain)
        {
            return false;
        }

        _isArriving = false;
        return true;
    }

    public readonly ref struct Scope : IDisposable
    {
        public void Dispose() => _isArriving = false;
    }
}
