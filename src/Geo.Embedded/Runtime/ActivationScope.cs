namespace Geo.Embedded;

/// <summary>Hands an activation to the constructor of its grain, which has no parameter for it.</summary>
internal static class ActivationScope
{
    [ThreadStatic]
    private static IActivationContext? _constructing;

    /// <summary>The activation whose grain this thread is constructing; null elsewhere.</summary>
    public static IActivationContext? Constructing => _constructing;

    /// <summary>Constructs a grain as the grain of an activation.</summary>
    public static T Construct<T>(IActivationContext activation, Func<IActivationContext, T> constructor)
    {
        var outer = _constructing;
        _constructing = activation;
        try
        {
            return constructor(activation);
        }
        finally
        {
            _constructing = outer;
        }
    }
}
