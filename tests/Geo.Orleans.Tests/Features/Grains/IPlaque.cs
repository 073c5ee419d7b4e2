namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>An extension of any grain.</summary>
public interface IPlaque : IGrainExtension
{
    Task<string> Read(string greeting);
}
