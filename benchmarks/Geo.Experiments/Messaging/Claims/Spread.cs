namespace Geo.Experiments.Messaging.Claims;

/// <summary>The middle of some values and how far they lie apart.</summary>
/// <param name="Median">The middle one; of an even number the mean of the middle two.</param>
/// <param name="Least">The lowest.</param>
/// <param name="Most">The highest.</param>
internal readonly record struct Spread(double Median, double Least, double Most)
{
    /// <summary>The spread of some values; zeros when there are none.</summary>
    public static Spread Of(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        return sorted.Length == 0
            ? default
            : new Spread((sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2, sorted[0], sorted[^1]);
    }
}
