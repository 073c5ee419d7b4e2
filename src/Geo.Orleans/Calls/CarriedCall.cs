using System.Diagnostics.CodeAnalysis;

namespace Geo.Orleans;

/// <summary>
/// Marks the one call that has just arrived from another cluster: it must end here rather than be carried on. A reference takes its call
/// before anything is awaited, so the mark is the thread's.
/// </summary>
internal static class CarriedCall
{
    private const string OriginKey = "geo.origin";

    [ThreadStatic]
    [SuppressMessage("Minor Code Smell", "S2696", Justification = "One arrival a thread.")]
    private static bool _isArriving;

    [ThreadStatic]
    private static GrainId _arriving;

    /// <summary>Says to the activation, on whichever silo of this cluster it is, from which cluster the call was carried.</summary>
    public static void TellOrigin(ClusterId from) => RequestContext.Set(OriginKey, from.Name);

    /// <summary>
    /// The cluster from which the call that begins to run was carried, none for this one; once, for calls that it makes in turn are made
    /// here.
    /// </summary>
    public static ClusterId TakeOrigin() =>
        RequestContext.Get(OriginKey) is string from && RequestContext.Remove(OriginKey) ? new ClusterId(from) : default;

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
