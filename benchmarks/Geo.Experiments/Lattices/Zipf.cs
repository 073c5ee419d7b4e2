namespace Geo.Experiments.Lattices;

/// <summary>Keys drawn so that the i-th most frequent comes 1/i^exponent as often as the first.</summary>
internal static class Zipf
{
    /// <summary>A sequence of keys from 0 to below <paramref name="keys"/>, drawn beforehand so that drawing is not measured.</summary>
    public static int[] Draw(int keys, double exponent, int count, int seed)
    {
        var sums = new double[keys];
        for (var (i, sum) = (0, 0.0); i < keys; i++)
        {
            sums[i] = sum += Math.Pow(i + 1, -exponent);
        }

        var (random, drawn) = (new Random(seed), new int[count]);
        for (var i = 0; i < count; i++)
        {
            var place = Array.BinarySearch(sums, random.NextDouble() * sums[^1]);
            drawn[i] = Math.Min(place >= 0 ? place : ~place, keys - 1);
        }

        return drawn;
    }
}
