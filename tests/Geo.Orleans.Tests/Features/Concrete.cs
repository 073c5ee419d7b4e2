using System.Reflection;
using System.Reflection.Emit;

namespace Geo.Orleans.Tests.Features;

/// <summary>
/// Classes that only one test has a silo serve: those of the test assembly are served by every silo in its process, and Orleans wants a
/// class that is not abstract.
/// </summary>
internal static class Concrete
{
    /// <summary>A class that derives from an abstract one and is never instantiated.</summary>
    public static Type ClassOf(Type grainClass)
    {
        var module = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName($"{grainClass.Name}.Concrete"), AssemblyBuilderAccess.Run)
            .DefineDynamicModule("module");
        var type = module.DefineType($"{grainClass.FullName}.Concrete", TypeAttributes.Public | TypeAttributes.Sealed, grainClass);
        var inherited = grainClass.GetConstructors(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic).Single();
        var parameters = inherited.GetParameters();
        var constructor = type.DefineConstructor(
            MethodAttributes.Public, CallingConventions.HasThis, [.. parameters.Select(parameter => parameter.ParameterType)]);
        for (var i = 0; i < parameters.Length; i++)
        {
            constructor.DefineParameter(i + 1, ParameterAttributes.None, parameters[i].Name);
        }

        constructor.GetILGenerator().ThrowException(typeof(NotSupportedException));
        return type.CreateType();
    }
}
