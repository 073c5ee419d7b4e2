namespace Geo.Orleans.Tests.Grains;

/// <summary>A coordination-free grain.</summary>
public interface ICart : IGrainWithStringKey
{
    Task Add(string item, int amount);

    Task Remove(string item);

    Task KnownIn(int clusters);

    Task<string> Show();

    Task End();
}
