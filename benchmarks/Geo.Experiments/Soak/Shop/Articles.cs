namespace Geo.Experiments.Soak.Shop;

/// <summary>The articles, half of each class.</summary>
internal static class Articles
{
    public const int Count = 24;

    public static IStock Of(IGrainFactory grains, int article) =>
        grains.GetGrain<IStock>($"article-{article}", (article % 2 == 0 ? typeof(SingleStock) : typeof(SharedStock)).FullName);
}
